-- Bills of other programs: each belongs to the terminal of its store that opened it first, for ever.
create table claims (
    store_id     text   not null references stores (store_id),
    source       text   not null,
    external_ref text   not null,
    terminal_id  text   not null references terminals (terminal_id),
    amount_fen   bigint not null check (amount_fen > 0),
    subject      text   not null,
    claimed_at   bigint not null,
    primary key (store_id, source, external_ref)
);
create index payments_by_bill on payments (store_id, source, external_ref, pay_id) where external_ref is not null;
