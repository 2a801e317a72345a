-- What the events say. Everything here can be computed again from them.
create table payments (
    terminal_id  text   not null,
    pay_id       text   not null,
    epoch        bigint not null,
    seq          bigint not null,
    store_id     text   not null,
    order_no     text   not null,
    source       text   not null,
    external_ref text,
    subject      text   not null,
    business_day text   not null,
    method       text   not null,
    out_trade_no text   not null,
    amount_fen   bigint not null check (amount_fen > 0),
    status       text   not null,
    order_status text   not null,
    trade_no     text,
    stopped_by   text,
    reason       text,
    created_at   bigint not null,
    changed_at   bigint not null,
    primary key (terminal_id, pay_id)
);
-- pay_id is a uuid v7, so it also orders by time: every list reads its page and no more.
create index payments_by_time on payments (pay_id);
create index payments_by_day on payments (business_day, pay_id);
create index payments_by_store on payments (store_id, business_day, pay_id);
create index payments_by_terminal on payments (terminal_id, business_day, pay_id);
-- Few at any time, whatever the day: what may still bring money.
create index payments_open on payments (business_day, amount_fen)
    where status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING');
create index payments_by_number on payments (out_trade_no);

-- Money whose proof headquarters has checked itself. A trade counts once, whoever reports it.
create table receipts (
    account      text   not null,
    trade_no     text   not null,
    terminal_id  text   not null,
    pay_id       text   not null,
    store_id     text   not null,
    total_fen    bigint not null check (total_fen >= 0),
    receipt_fen  bigint not null check (receipt_fen >= 0),
    business_day text   not null,
    hour         bigint not null check (hour between 0 and 23),
    paid_at      bigint not null,
    -- As what it is booked, and by which line of its terminal's journal: a later line wins, whenever it is read.
    booked       text   not null check (booked in ('RECOGNISED', 'SUSPENSE')),
    booked_epoch bigint not null,
    booked_seq   bigint not null,
    primary key (account, trade_no)
);
create index receipts_by_day on receipts (business_day, store_id, terminal_id, hour, booked, total_fen);
create index receipts_by_time on receipts (business_day, paid_at);
create index receipts_by_payment on receipts (terminal_id, pay_id);

-- Money that went back, proved. out_request_no is empty while only the fact is known.
create table refunds (
    account        text   not null,
    trade_no       text   not null,
    out_request_no text   not null,
    terminal_id    text   not null,
    pay_id         text   not null,
    store_id       text   not null,
    amount_fen     bigint not null check (amount_fen > 0),
    business_day   text   not null,
    at_ms          bigint not null,
    hour           bigint not null check (hour between 0 and 23),
    primary key (account, trade_no, out_request_no)
);
create index refunds_by_day on refunds (business_day);
