-- What a person must decide or know: reported by a terminal, or found here.
create table cases (
    case_id      text   not null primary key,
    kind         text   not null,
    found_by     text   not null check (found_by in ('TERMINAL', 'HQ')),
    terminal_id  text   not null,
    store_id     text   not null,
    pay_id       text   not null,
    out_trade_no text   not null,
    trade_no     text   not null,
    amount_fen   bigint not null check (amount_fen >= 0),
    detail       text   not null,
    status       text   not null check (status in ('OPEN', 'RESOLVED')),
    resolution   text,
    opened_at    bigint not null,
    resolved_at  bigint,
    check (status = 'OPEN' or (resolution is not null and resolved_at is not null))
);
create unique index cases_open_once on cases (kind, terminal_id, pay_id, trade_no) where status = 'OPEN';
create index cases_by_payment on cases (terminal_id, pay_id);
create index cases_by_time on cases (status, opened_at);
