"""People, channels and documents that change at random, and a brute-force oracle for who may read what."""

import random
import re
import zlib
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import psycopg

from bot.audience import ALL, EVERYONE, GUESTS, Names, channel_name, group_name, person_name
from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.errors import SlackError
from bot.knowledge import audience_store, source_store, store
from bot.knowledge.blocks import Block
from bot.knowledge.documents import Document, Matrix, NewPassage, ReadDocument
from bot.knowledge.reuse import KeptSearches, ReusingSearch
from bot.knowledge.search import Library, Search
from bot.postgres.pool import Database
from bot.slack.people.memberships import Memberships
from bot.slack.people.people import AccountType
from bot.slack.people.readers import Readers
from graph.context import Retriever
from tests.support.fakes import AsFound

WORKSPACE = "one"
MODEL = "all-minilm-l6-v2-int8"
MEMBERS = [PersonId(f"U{name}") for name in ("ADA", "BEN", "CHIARA", "DEV")]
GUEST, LEAVER = PersonId("UGIL"), PersonId("UOLD")
PEOPLE = [*MEMBERS, GUEST, LEAVER]
CHANNELS = [ChannelId(f"C{number}") for number in range(5)]
GROUPS = ["S0", "S1"]
FOLDERS = ("", "hr/", "hr/pay/", "ops/")
SOURCES = 4
DOCUMENTS = 28
LETTERS = "bcdfghjklmnpqrstvwxz"


class Vectors:
    """An embedder with random vectors, the same for the same text."""

    model = MODEL
    at_once = 4

    def embed_passages(self, texts: list[str]) -> Matrix:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Matrix:
        made = np.random.default_rng(zlib.crc32(text.encode())).normal(size=384)
        return (made / np.linalg.norm(made)).astype(np.float32)

    def remember(self, text: str, vector: Matrix) -> None:
        """Do nothing."""

    def count_tokens(self, text: str) -> int:
        return len(text.split())


class Embedder(Protocol):
    """What embeds documents."""

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return the vectors of some texts."""
        ...


@dataclass
class Told:
    """A document as the oracle knows it."""

    source: int
    path: str
    secret: str
    """A word that only its title contains."""

    @property
    def body(self) -> str:
        """A word that only its text contains."""
        return f"b{self.secret[1:-1]}b"

    @property
    def topic(self) -> str:
        """A word that only its text contains, and by which people ask for it."""
        return f"t{self.secret[1:-1]}t"


@dataclass
class World:
    """The state, and its random changes; `chance` decides everything."""

    database: Database
    owner: psycopg.Connection[Any]
    chance: random.Random
    sources: list[int] = field(default_factory=list)
    rules: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    """The audience of each source, and of each part of one."""
    documents: dict[tuple[int, str], Told] = field(default_factory=dict)
    channels: dict[PersonId, set[str]] = field(default_factory=dict)
    known: dict[PersonId, set[str] | None] = field(default_factory=dict)
    """The memberships that Askback has cached; `None` if it must ask Slack."""
    groups: dict[str, set[str]] = field(default_factory=dict)
    """The people of each user group."""
    known_outsiders: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(map(str, CHANNELS)))
    """Whether Askback has cached that the guest is in a channel; `None` if it must ask Slack."""
    known_groups: dict[str, set[str] | None] = field(default_factory=lambda: dict.fromkeys(GROUPS))
    """The people that Askback has cached; `None` if it must ask Slack."""
    embedder: Embedder = field(default_factory=Vectors)
    """What embeds the documents."""
    secrets: int = 0
    slack_is_up: bool = True
    reuses: KeptSearches | None = None
    """The kept searches, if searches are reused."""

    def __post_init__(self) -> None:
        self.memberships = Memberships(self.database, self, WORKSPACE)  # pyright: ignore[reportArgumentType]
        self.readers = Readers(self, self.memberships, self._named_now)  # pyright: ignore[reportArgumentType]
        self.groups = {group: set(self.chance.sample(PEOPLE, 3)) for group in GROUPS}
        self.channels = {person: set(self.chance.sample(CHANNELS, 2)) for person in PEOPLE}
        self.known = dict.fromkeys(PEOPLE)

    async def begin(self) -> None:
        """Store the first documents."""
        for number in range(SOURCES):
            async with self.database.transaction(WORKSPACE) as connection:
                self.sources.append(await source_store.add_source(connection, WORKSPACE, f"/{number}"))
            self.rules[self.sources[-1], ""] = frozenset({EVERYONE})
        for _ in range(DOCUMENTS):
            await self.write()
        for _ in range(SOURCES * 3):
            await self.share()

    # The answers of the local Slack.
    async def channels_of(self, person: PersonId) -> frozenset[str]:
        if not self.slack_is_up:
            raise SlackError("users.conversations: internal_error")
        return frozenset(self.channels[person])

    async def members(self, group: str) -> frozenset[str]:
        if not self.slack_is_up:
            raise SlackError("usergroups.users.list: internal_error")
        return frozenset(self.groups[group])

    async def people_in(self, channel: str) -> frozenset[PersonId]:
        if not self.slack_is_up:
            raise SlackError("conversations.members: internal_error")
        return frozenset(person for person in PEOPLE if channel in self.channels[person])

    async def include_outsiders(self, people: Collection[PersonId]) -> bool:
        return GUEST in people

    async def account_type(self, person: PersonId) -> AccountType:
        return "guest" if person == GUEST else "deactivated" if person == LEAVER else "member"

    # The random changes.
    async def change(self) -> None:
        """Make one random change."""
        does = (
            self.share,
            self.share,
            self.unshare,
            self.move,
            self.move,
            self.regroup,
            self.pass_time,
            self.write,
            self.remove,
        )
        await self.chance.choice(does)()

    async def share(self) -> None:
        """Share a source or a part of it with others."""
        source, path = self.chance.choice(self.sources), self._part()
        named = [
            EVERYONE,
            GUESTS,
            *map(channel_name, CHANNELS),
            *map(group_name, GROUPS),
            *map(person_name, PEOPLE),
        ]
        names = frozenset(self.chance.sample(named, self.chance.choice((0, 1, 1, 2, 3))))
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.share(connection, source, path, names)
        self.rules[source, path] = names

    async def unshare(self) -> None:
        """Remove the audience of a part, so that the source's audience holds."""
        parts = [rule for rule in self.rules if rule[1]]
        if parts:
            source, path = self.chance.choice(parts)
            async with self.database.transaction(WORKSPACE) as connection:
                await audience_store.share_as_around(connection, source, path)
            del self.rules[source, path]

    async def move(self) -> None:
        """Let a person join or leave a channel. Slack may fail to report it."""
        person, channel = self.chance.choice(PEOPLE), self.chance.choice(CHANNELS)
        self.channels[person] ^= {channel}
        if self.chance.random() < 0.7:
            await self.memberships.changed(person, channel)
            self.known[person] = self.known_outsiders[channel] = None

    async def regroup(self) -> None:
        """Let a person join or leave a user group. Slack may fail to report it."""
        person, group = self.chance.choice(PEOPLE), self.chance.choice(GROUPS)
        self.groups[group] ^= {person}
        if self.chance.random() < 0.7:
            await self.memberships.changed(group)
            self.known_groups[group] = None

    async def pass_time(self) -> None:
        """Let five minutes pass, or let Slack fail or recover."""
        if self.chance.random() < 0.3:
            self.slack_is_up = not self.slack_is_up
            return
        self.owner.execute("UPDATE memberships SET asked_at = asked_at - interval '5 minutes'")
        self.known = dict.fromkeys(PEOPLE)
        self.known_groups = dict.fromkeys(GROUPS)
        self.known_outsiders = dict.fromkeys(map(str, CHANNELS))

    async def write(self) -> None:
        """Store a document, new or in place of another at its path."""
        source = self.chance.choice(self.sources)
        path = f"{self.chance.choice(FOLDERS)}{self.chance.randrange(DOCUMENTS // SOURCES)}.md"
        told = self.documents[source, path] = Told(source, path, self._secret())
        text = f"{told.topic.title()} holds what {told.body} says of leave and travel."
        piece = NewPassage(heading_path=(), text=text)
        document = Document(path=path, title=told.secret, blocks=(Block(text=text),), language="en")
        read = ReadDocument(document=document, hash="h", pieces=[piece])
        prepared = store.Prepared(read=read, vectors=self.embedder.embed_passages([text]), model=MODEL)
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.read_as(connection, ALL)
            await store.replace_document(connection, WORKSPACE, source, prepared)

    async def remove(self) -> None:
        """Remove a document."""
        if len(self.documents) > DOCUMENTS // 2:
            source, path = self.chance.choice([*self.documents])
            async with self.database.transaction(WORKSPACE) as connection:
                await audience_store.read_as(connection, ALL)
                await store.remove_documents(connection, source, [path])
            del self.documents[source, path]

    # The oracle: who may read what.
    def address(self) -> Address:
        """Return a random person in a random conversation."""
        person = self.chance.choice(PEOPLE)
        place = self.chance.choice([*CHANNELS, ChannelId(f"D{person}"), ChannelId(f"D{person}")])
        ts = Ts("1.000000")
        return Address(
            team=TeamId("T1"), channel=place, thread_ts=ts, message_ts=ts, person=person, person_team=TeamId("T1")
        )

    def readable(self, address: Address) -> set[str]:
        """Return the secret words that a person may read there, computed from the requirement and not by the code."""
        person, place = address.person, address.channel
        direct = place.startswith("D")
        if direct and person in MEMBERS and self._names_channels():
            if self.known[person] is None and self.slack_is_up:
                self.known[person] = set(self.channels[person])
            own = self.known[person] or set()
        else:
            own = set[str]()
        if direct and person in MEMBERS:
            own = {*own, *self._groups_of(person)}
        beside_guests = not direct and person in MEMBERS and self._reads_beside_guests(place)
        return {told.secret for told in self.documents.values() if self._may(told, person, place, own, beside_guests)}

    def _reads_beside_guests(self, place: str) -> bool:
        """Tell whether the guest is in a channel, as far as Askback can know: if it cannot, the guest may be."""
        if self.known_outsiders[place] is None and self.slack_is_up:
            self.known_outsiders[place] = place in self.channels[GUEST]
        return self.known_outsiders[place] is not False

    def _groups_of(self, person: PersonId) -> set[str]:
        """Return the groups that a person is in, as far as Askback can know: it asks only for groups that are named."""
        named = {name for names in self.rules.values() for name in names}
        for group in GROUPS:
            if group_name(group) in named and self.known_groups[group] is None and self.slack_is_up:
                self.known_groups[group] = set(self.groups[group])
        return {group for group in GROUPS if group_name(group) in named and person in (self.known_groups[group] or ())}

    def is_for_everyone(self, secret: str) -> bool:
        """Tell whether an existing document is for all members."""
        return any(told.secret == secret and "everyone" in self._names(told) for told in self.documents.values())

    def search(self, address: Address, *, exact_below: int = 5_000) -> Retriever:
        """Return the search of a person."""

        async def reader() -> frozenset[str]:
            return await self.readers.names_of(address)

        search = Search(Library(self.database, WORKSPACE, reader=reader), Vectors(), exact_below=exact_below)
        return search if self.reuses is None else ReusingSearch(search, AsFound(), self.reuses, lambda _: None)

    def _names(self, told: Told) -> frozenset[str]:
        lies_in = [
            path
            for source, path in self.rules
            if source == told.source and (path in ("", told.path) or told.path.startswith(f"{path}/"))
        ]
        return self.rules[told.source, max(lies_in, key=len)]

    def _may(self, told: Told, person: PersonId, place: str, own: Collection[str], beside_guests: bool) -> bool:
        names = self._names(told)
        if beside_guests and "guests" not in names:
            return False
        alone = place.startswith("D")
        if person == LEAVER:
            return False
        if person == GUEST:
            return "guests" in names or (alone and f"person:{person}" in names)
        if "everyone" in names or f"channel:{place}" in names:
            return True
        return alone and (f"person:{person}" in names or any({f"channel:{one}", f"group:{one}"} & names for one in own))

    def _names_channels(self) -> bool:
        return any(name.startswith("channel:") for names in self.rules.values() for name in names)

    async def _named_now(self) -> Names:
        async with self.database.transaction(WORKSPACE) as connection:
            return await audience_store.named(connection)

    def _part(self) -> str:
        return self.chance.choice(("", "", "hr", "hr/pay", "ops", "0.md", "hr/1.md"))

    def _secret(self) -> str:
        self.secrets += 1
        number, letters = self.secrets, ""
        for _ in range(4):
            number, rest = divmod(number, len(LETTERS))
            letters += LETTERS[rest]
        return f"q{letters}q"


def let_everybody_read(owner: psycopg.Connection[Any]) -> None:
    """Remove the audiences from the policies."""
    for table in ("documents", "passages", "embeddings"):
        owner.execute(
            f"ALTER POLICY of_the_workspace ON {table} USING (workspace = current_setting('askback.workspace', true))"
        )


def forget_a_condition(owner: psycopg.Connection[Any]) -> None:
    """Remove the audiences from the search for words, which runs with the owner's rights."""
    (made,) = owner.execute("SELECT pg_get_functiondef('passages_by_text'::regproc)").fetchone() or ("",)
    loose = re.sub(
        r"AND (ARRAY\[passage\.audience_id\] && |(passage\.)?audience_id = ANY \()coalesce\(.*?::bigint\[\]\)?",
        "",
        made,
    )
    assert loose.count("audience_id") == 0
    owner.execute(loose.encode())
