"""Counts small talk that is recognised, and questions that are kept: `python -m benchmarks.answers.small_talk PUBLIC`.

The utterances are CLINC150's, of intents that are small talk or errands, and of intents that a team's documents could
answer. Even ones of an intent are `dev`, odd ones `held`. No passages are compared. `ASKBACK_EMBEDDING` names the
embedding.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from bot.evals.measures import share
from bot.evals.report import shown, table
from bot.models.choice import OpenedEmbeddings, chosen_model
from bot.models.offline.understanding.message_kind import MessageKinds
from bot.settings import Settings

SMALL: Final = """
    greeting goodbye thank_you what_is_your_name how_old_are_you who_made_you who_do_you_work_for are_you_a_bot
    where_are_you_from do_you_have_pets what_are_your_hobbies what_can_i_ask_you meaning_of_life fun_fact tell_joke
    weather flip_coin roll_dice calculator translate spelling timer alarm play_music next_song what_song make_call text
    find_phone recipe measurement_conversion time timezone calories restaurant_suggestion
""".split()
QUESTIONS: Final = """
    pto_request pto_balance pto_used payday w2 insurance taxes direct_deposit rollover_401k income next_holiday
    insurance_change damaged_card report_lost_card pto_request_status credit_limit replacement_card_duration apr
    international_fees interest_rate credit_score account_blocked application_status balance bill_due card_declined
    credit_limit_change expiration_date freeze_account improve_credit_score international_visa lost_luggage min_payment
    new_card order_checks order_status pin_change plug_type redeem_rewards report_fraud rewards_balance routing
    schedule_maintenance last_maintenance oil_change_how oil_change_when tire_pressure travel_alert vaccines carry_on
""".split()


def main(public: Path) -> None:
    """Count, and print."""
    said: dict[str, list[str]] = defaultdict(list)
    for line in (public / "routing/clinc_val.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        said[row["intent"]].append(row["text"])
    settings = Settings.read().of_embedding
    kinds = MessageKinds(OpenedEmbeddings(settings).of(chosen_model(settings, None)))
    for name, half in (("dev", 0), ("held", 1)):
        small, questions = (
            share(
                (kinds.of(text, []) != "question") is is_small for intent in intents for text in said[intent][half::2]
            )
            for intents, is_small in ((SMALL, True), (QUESTIONS, False))
        )
        balanced = (small.value + questions.value) / 2 if small and questions else None
        print(table({name: {"small talk recognised": small, "questions kept": questions}}))
        print(f"balanced: {shown(balanced)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
