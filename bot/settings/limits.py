"""How much a process does at once, and how large files may be."""

from pydantic import Field

from bot.settings.variables import Variables


class LimitVariables(Variables):
    """The limits of a process."""

    worker_slots: int = Field(
        default=64,
        ge=1,
        le=1024,
        description="How many questions one process answers at a time. Each takes memory, and a database connection for"
        " moments.",
    )
    run_ceiling_seconds: float = Field(
        default=480,
        gt=0,
        description="Seconds after which a run is stopped and retried. A long answer takes six minutes.",
    )
    most_waiting_per_person: int = Field(
        default=20,
        ge=1,
        description="How many questions of one person may wait. Further ones are refused, and the person is told.",
    )
    most_waiting: int = Field(
        default=500,
        ge=1,
        description="How many questions may wait in the whole workspace.",
    )
    largest_file_mb: float = Field(
        default=10.0,
        gt=0,
        le=100,
        description="The most text of one file, in megabytes; 10 MB are about 15,000 passages.",
    )
    largest_foreign_file_mb: float = Field(
        default=50.0,
        gt=0,
        le=500,
        description="The largest PDF or Office file, in megabytes, including its pictures.",
    )
    readers_at_once: int = Field(
        default=2,
        ge=1,
        le=32,
        description="How many files of a source are read at a time. A large, PDF or Office file gets a child process"
        " of its own.",
    )
    reader_memory_mb: int = Field(
        default=1024,
        ge=128,
        description="The memory limit of such a child process, in megabytes.",
    )
    reader_seconds: float = Field(
        default=60.0,
        gt=0,
        description="The time limit of such a child process, in seconds.",
    )
    ocr_pages: int = Field(
        default=100,
        ge=0,
        le=5_000,
        description="How many scanned pages of a document text recognition reads, if it is installed (`pip install"
        " 'askback[ocr]'`). A page takes some three seconds, and may take `ASKBACK_READER_SECONDS`; 0 turns it off.",
    )
    sources_at_once: int = Field(
        default=2,
        ge=1,
        le=16,
        description="How many sources one process reads at a time. Each that the bot reads takes a child process, with"
        " the embedding model in its memory.",
    )
    reused_searches: int = Field(
        default=200,
        ge=0,
        le=2_000,
        description="How many searches a process keeps in memory. An identical question of people who may read the same"
        " is not searched and ranked again while no document changes; 0: always search.",
    )
