"""`views.*`: modals and the Home tab."""

import secrets

from playground.blocks import block_kit
from playground.errors import SlackError
from playground.methods.arguments import required
from playground.state.slack import Slack
from playground.wire import Json


def open_view(slack: Slack, arguments: Json) -> Json:
    """Open a modal for the person of the trigger id."""
    view = required(arguments, "view")
    block_kit.check_view(view)
    person = slack.triggers.take_trigger(str(required(arguments, "trigger_id")))
    return {"view": keep_modal(slack, view, person=person)}


def update(slack: Slack, arguments: Json) -> Json:
    """Update an open modal; with a `hash`, only if it has not changed since."""
    view = required(arguments, "view")
    block_kit.check_view(view)
    by_external_id = (one["id"] for one in slack.views.values() if one["external_id"] == arguments.get("external_id"))
    before = slack.views.get(str(arguments.get("view_id") or next(by_external_id, "")))
    if before is None:
        raise SlackError("not_found")
    if arguments.get("hash") not in (None, before["hash"]):
        raise SlackError("hash_conflict")
    return {"view": keep_modal(slack, view, person=before["shown_to"], view_id=before["id"])}


def publish(slack: Slack, arguments: Json) -> Json:
    """Set a person's Home tab."""
    view, person = required(arguments, "view"), str(required(arguments, "user_id"))
    block_kit.check_view(view)
    if person not in slack.workspace.members:
        raise SlackError("user_not_found")
    before = slack.homes.get(person, {})
    if arguments.get("hash") not in (None, before.get("hash")):
        raise SlackError("hash_conflict")
    home = slack.homes[person] = {**_completed(slack, view), "id": before.get("id") or _new_id(), "shown_to": person}
    slack.changes.publish({"type": "home", "person": person, "view": home})
    return {"view": home}


def keep_modal(slack: Slack, view: Json, *, person: str, view_id: str | None = None) -> Json:
    """Show a new modal, or replace the one with this id."""
    kept_id = view_id or _new_id()
    kept = {**_completed(slack, view), "id": kept_id, "root_view_id": kept_id, "shown_to": person}
    slack.views[kept_id] = kept
    slack.changes.publish({"type": "view", "view": kept})
    return kept


def _new_id() -> str:
    return "V0" + secrets.token_hex(5).upper()


def _completed(slack: Slack, view: Json) -> Json:
    defaults: Json = {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "close": None,
        "submit": None,
        "previous_view_id": None,
        "state": {"values": {}},
    }
    return {
        **defaults,
        **view,
        "blocks": block_kit.completed(view["blocks"]),
        "hash": f"{int(slack.clock.now())}.{secrets.token_hex(4)}",
        "team_id": slack.workspace.team_id,
        "app_id": slack.workspace.app_id,
        "app_installed_team_id": slack.workspace.team_id,
        "bot_id": slack.workspace.bot_id,
    }


METHODS = {"views.open": open_view, "views.update": update, "views.publish": publish}
