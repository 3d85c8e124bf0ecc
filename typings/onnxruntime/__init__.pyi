from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

class SessionOptions:
    intra_op_num_threads: int
    def add_session_config_entry(self, key: str, value: str, /) -> None: ...

class InferenceSession:
    def __init__(
        self, path_or_bytes: str, sess_options: SessionOptions | None = None, providers: Sequence[str] | None = None
    ) -> None: ...
    def run(self, output_names: Sequence[str], input_feed: Mapping[str, NDArray[Any]]) -> Sequence[object]: ...
