-- Notices of Alipay that are signed and for this merchant, as they came. Never changed, but for `waiting`.
create table notices (
    notice_id    text   not null primary key,
    notify_id    text   not null,
    hash         text   not null,
    out_trade_no text   not null,
    trade_no     text   not null,
    -- Whose it is; empty if nobody's is known.
    terminal_id  text   not null,
    body         text   not null,
    -- The money it says has come, if it says so, and whether no terminal has reported that money yet.
    paid_fen     bigint check (paid_fen >= 0),
    waiting      bigint not null check (waiting in (0, 1)),
    received_at  bigint not null
);
create unique index notices_once on notices (notify_id, hash);
create index notices_waiting on notices (received_at) where waiting = 1;
create index notices_by_trade on notices (trade_no);

-- What came to the address of notices and could not be checked: kept apart, and only the newest.
create table refused_notices (
    hash        text   not null primary key,
    body        text   not null,
    reason      text   not null,
    received_at bigint not null
);
create index refused_notices_by_time on refused_notices (received_at);

-- What terminals are told, in order.
create table pushes (
    terminal_id text   not null references terminals (terminal_id),
    seq         bigint not null,
    push_id     text   not null unique,
    what        text   not null,
    made_at     bigint not null,
    primary key (terminal_id, seq)
);
-- The last number given, and the last one that is durable at the terminal.
alter table terminals add column push_seq bigint not null default 0;
alter table terminals add column heard_seq bigint not null default 0;

-- What headquarters wants done, and what became of it.
create table instructions (
    push_id     text   not null primary key,
    terminal_id text   not null references terminals (terminal_id),
    what        text   not null,
    made_by     text   not null,
    made_at     bigint not null,
    outcome     text   check (outcome in ('DONE', 'REFUSED', 'NOT_UNDERSTOOD')),
    detail      text   not null default '',
    answered_at bigint
);
create index instructions_by_time on instructions (made_at);
