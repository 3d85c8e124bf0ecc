"""Reads messages of a channel's history, and logs the shape of those that cannot be read."""

import structlog

from bot.slack.payloads.shapes import Payload, SlackMessage, message_faults, message_in


def read_message(found: Payload) -> SlackMessage | None:
    """Return a message from a channel's history; `None`, and an event in the log, if it has faults."""
    said = message_in(found)
    if said is None:
        structlog.get_logger().warning("payload_malformed", kind="history", faults=message_faults(found))
    return said
