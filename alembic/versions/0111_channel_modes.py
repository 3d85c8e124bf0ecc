"""Channel modes, and the untagged questions that wait or were answered: where they stand, and no word of them."""

from alembic import op

revision = "0111"
down_revision = "0110"

OURS = "NULLIF(current_setting('askback.workspace', true), '')"
TABLES = f"""
    CREATE TABLE channel_modes (
        workspace   text NOT NULL DEFAULT {OURS},
        channel     text NOT NULL,
        mode        text NOT NULL DEFAULT 'mentions' CHECK (mode IN ('mentions', 'questions', 'privately')),
        is_on       boolean NOT NULL DEFAULT false,         -- a member has turned it on after the shadow week
        since       timestamptz NOT NULL,
        changed_by   text,
        is_led_back  boolean NOT NULL DEFAULT false,        -- clicks on "Not for you" led back to mentions
        card_key    text NOT NULL DEFAULT '',               -- the message that asked for the card
        card_ts     text,                                   -- where the card is, once it is posted
        card_due    timestamptz,                            -- when it is to be shown again
        PRIMARY KEY (workspace, channel)
    );
    CREATE INDEX channel_modes_due ON channel_modes (workspace, card_due) WHERE card_due IS NOT NULL;

    CREATE TABLE untagged_questions (
        workspace    text NOT NULL DEFAULT {OURS},
        message_key  text NOT NULL,                         -- channel:ts, as in the inbox
        channel      text NOT NULL,
        ts           text NOT NULL,
        person       text NOT NULL,
        state        text NOT NULL DEFAULT 'waiting'        -- noted: in the shadow week; handed: to the inbox
                     CHECK (state IN ('waiting', 'noted', 'handed')),
        due_at       timestamptz NOT NULL,                  -- when it is judged, or taken over if its judge died
        verdict      text CHECK (verdict IN ('answer', 'ask')),
        decided_at   timestamptz,
        link         text NOT NULL DEFAULT '',
        document     text NOT NULL DEFAULT '',              -- the title of the document that answers
        unwanted_by  text,
        share_ts     text,                                  -- the copy that its asker shared in the channel
        PRIMARY KEY (workspace, message_key)
    );
    CREATE INDEX untagged_questions_due ON untagged_questions (workspace, due_at) WHERE state = 'waiting';
    CREATE INDEX untagged_questions_decided ON untagged_questions (workspace, channel, decided_at)
        WHERE state <> 'waiting';
"""


def upgrade() -> None:
    op.execute(TABLES)
    for table in ("channel_modes", "untagged_questions"):
        op.execute(f"""
            ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY of_the_workspace ON {table} USING (workspace = {OURS});
            GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO askback_app;
        """)
