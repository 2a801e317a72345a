-- The journals of all terminals, as received. Never changed, never deleted.
create table events (
    terminal_id text   not null,
    epoch       bigint not null,
    seq         bigint not null check (seq > 0),
    event_id    text   not null,
    kind        text   not null,
    at_ms       bigint not null,
    payload     text   not null,
    prev_hash   text   not null,
    hash        text   not null,
    pay_id      text,
    projected   bigint not null check (projected in (0, 1)),
    received_at bigint not null,
    primary key (terminal_id, epoch, seq)
);
create unique index events_by_name on events (terminal_id, epoch, event_id);
create index events_by_payment on events (terminal_id, pay_id) where pay_id is not null;
-- What an older program could not understand.
create index events_to_project on events (terminal_id, epoch, seq) where projected = 0;

-- Lines of a history that is not the one headquarters knows: kept apart, for a person.
create table quarantine (
    terminal_id text   not null,
    epoch       bigint not null,
    seq         bigint not null,
    hash        text   not null,
    event_id    text   not null,
    payload     text   not null,
    detail      text   not null,
    received_at bigint not null,
    primary key (terminal_id, epoch, seq, hash)
);
