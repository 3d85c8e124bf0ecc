"""The Slack app's manifest: exactly what the code uses."""

from typing import Any, Final

from bot.slack.payloads.buttons import ADD_TO_KNOWLEDGE, FORGET_THIS, WHY_THIS_ANSWER

SCOPES: Final = {
    "agents.sessions.setStatus": "chat:write",
    "auth.test": None,
    "bots.info": "users:read",
    "apps.connections.open": None,
    "assistant.search.context": "search:read.public",
    "assistant.threads.setStatus": "chat:write",
    "chat.appendStream": "chat:write",
    "chat.delete": "chat:write",
    "chat.getPermalink": None,
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "chat.startStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.update": "chat:write",
    "conversations.history": "channels:history",
    "conversations.info": "mpim:read",
    "conversations.members": "channels:read",
    "conversations.open": "im:write",
    "conversations.replies": "channels:history",
    "team.profile.get": "users.profile:read",
    "usergroups.users.list": "usergroups:read",
    "users.conversations": "channels:read",
    "users.info": "users:read",
    "users.list": "users:read",
    "users.profile.get": "users.profile:read",
    "views.open": None,
}
"""What each method that we call needs of a bot token; one that reads all kinds of channels, what no other row names."""

EVENTS: Final = {
    "agent_session_stopped": "chat:write",
    "app_mention": "app_mentions:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "groups:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "subteam_members_changed": "usergroups:read",
    "subteam_updated": "usergroups:read",
}
"""What each event that we hear needs."""

SHORTCUTS: Final = {
    ADD_TO_KNOWLEDGE: ("Add to knowledge", "Answer from this thread or message, and its files, from now on."),
    WHY_THIS_ANSWER: ("Why this answer?", "For administrators: what was searched, found and written, step by step."),
    FORGET_THIS: ("Forget this", "Take out what was added to knowledge of this message or thread."),
}
"""The shortcuts on a message: name and description."""
_OF_SHORTCUTS: Final = ("commands", "files:read")
"""What shortcuts need, and the files on a message."""

DESCRIPTION: Final = "Answers from your team's own documents, with sources, and asks back before it guesses."


_OF_GROUPS: Final = "usergroups:read"
"""Nobody is to grant it whose reviewers and audiences are no user group."""


def scopes(*, reads_groups: bool = False) -> list[str]:
    """Return the bot's scopes, in order."""
    needed = {scope for scope in (*SCOPES.values(), *EVENTS.values(), *_OF_SHORTCUTS) if scope}
    return sorted(needed if reads_groups else needed - {_OF_GROUPS})


def manifest(name: str = "Askback", *, reads_groups: bool = False) -> dict[str, Any]:
    """Return the manifest to paste when creating the app."""
    return {
        "display_information": {"name": name, "description": DESCRIPTION},
        "features": {
            "agent_view": {"agent_description": DESCRIPTION},
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "shortcuts": [
                {"name": named, "type": "message", "callback_id": callback_id, "description": described}
                for callback_id, (named, described) in SHORTCUTS.items()
            ],
        },
        "oauth_config": {"scopes": {"bot": scopes(reads_groups=reads_groups)}},
        "settings": {
            "event_subscriptions": {
                "bot_events": sorted(event for event, scope in EVENTS.items() if reads_groups or scope != _OF_GROUPS)
            },
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }
