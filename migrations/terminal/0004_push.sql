-- What headquarters told and is still to be done, and what was done once.

-- Payments that somebody said something about which only the gateway can settle: asked until it answers.
create table asks (
    pay_id   text    primary key references payments,
    at_ms    integer not null
) strict, without rowid;

-- Instructions of headquarters. The same one is never followed twice, whatever number it comes under.
create table instructions (
    push_id  text    primary key,
    what     text    not null,
    outcome  text    not null check (outcome in ('DONE', 'REFUSED', 'NOT_UNDERSTOOD')),
    detail   text    not null,
    at_ms    integer not null
) strict, without rowid;
