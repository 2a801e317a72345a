-- Who may decide: a manager's PIN as an argon2id hash, and how often a wrong one was tried.
-- The count survives a restart, so that starting again does not give five more tries.

create table operators (
    operator_id        text    primary key,
    name               text    not null,
    role               text    not null check (role in ('CASHIER', 'MANAGER')),
    pin_hash           text    not null,
    wrong_pins         integer not null default 0 check (wrong_pins >= 0),
    locked_until_ms    integer,
    created_at_ms      integer not null
) strict;
