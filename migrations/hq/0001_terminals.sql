-- Who may report. An epoch is one enrolment of a terminal: its key, and how far its journal is known.
create table stores (
    store_id    text   not null primary key,
    store_name  text   not null,
    created_at  bigint not null
);

create table terminals (
    terminal_id text   not null primary key,
    store_id    text   not null references stores (store_id),
    epoch       bigint not null,
    created_at  bigint not null
);

create table epochs (
    terminal_id  text   not null references terminals (terminal_id),
    epoch        bigint not null check (epoch > 0),
    public_key   text   not null unique,
    app_id       text   not null,
    alipay_key   text   not null,
    mode         text   not null check (mode in ('demo', 'live')),
    enrolled_at  bigint not null,
    revoked_at   bigint,
    head_seq     bigint not null default 0,
    acked_seq    bigint not null default 0,
    head_hash    text   not null,
    last_seen_at bigint,
    primary key (terminal_id, epoch)
);

-- Only the hash of a code is kept: who reads the database cannot enrol.
create table enrolment_codes (
    code_hash   text   not null primary key,
    store_id    text   not null references stores (store_id),
    terminal_id text   not null,
    created_at  bigint not null,
    expires_at  bigint not null,
    used_at     bigint,
    used_by     text
);
