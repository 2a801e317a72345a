-- The records of one terminal. Constraints repeat what the program promises.
-- Money is integer fen, moments are UTC milliseconds, days are text (YYYY-MM-DD).

create table settings (
    name  text primary key,
    value text not null
) strict, without rowid;

-- What is to be collected.
create table orders (
    order_id          text    primary key,
    sale_id           text    not null,
    order_no          text    not null unique,
    source            text    not null,
    external_ref      text,
    attempt           integer not null default 0,
    amount_fen        integer not null check (amount_fen > 0),
    subject           text    not null,
    operator_id       text    not null,
    business_day      text    not null,
    day_seq           integer not null,
    request_id        text    not null unique,
    content_hash      text    not null,
    replaces_order_id text    unique references orders,
    status            text    not null check (status in ('CREATED', 'PAYING', 'PAID', 'CLOSED', 'REFUNDING', 'PARTIALLY_REFUNDED', 'REFUNDED')),
    created_at_ms     integer not null,
    unique (business_day, day_seq),
    unique (source, external_ref, attempt)
) strict;

-- The collection of one order through one channel. Owns the out_trade_no.
create table payments (
    pay_id             text    primary key,
    order_id           text    not null references orders,
    sale_id            text    not null,
    channel            text    not null check (channel = 'ALIPAY'),
    method             text    not null check (method in ('QR', 'BUYER_CODE')),
    account            text    not null,
    out_trade_no       text    not null unique,
    amount_fen         integer not null check (amount_fen > 0),
    status             text    not null check (status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'SUCCESS', 'CLOSED', 'FAIL', 'SUSPENSE')),
    reason             text,
    trade_no           text,
    trade_seen         integer not null check (trade_seen in (0, 1)),
    request_body       text,
    qr_code            text,
    body_expires_at_ms integer,
    code_expires_at_ms integer,
    stopped_by         text    check (stopped_by in ('PERSON', 'CLOCK', 'SALE')),
    close_sent_at_ms   integer,
    precreated_at_ms   integer,
    dead_after_ms      integer,
    watch_at_ms        integer,
    booked_at_ms       integer,
    version            integer not null,
    created_at_ms      integer not null,
    updated_at_ms      integer not null,
    unique (order_id, channel),
    unique (channel, account, trade_no),
    check (status <> 'SUCCESS' or trade_no is not null),
    check (trade_no is null or trade_seen = 1)
) strict;

-- One payment per sale may still bring money, or has brought it.
create unique index payments_one_per_sale on payments (sale_id)
    where status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'SUCCESS');
-- What a restart resumes.
create index payments_live on payments (created_at_ms) where status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING');
-- What is asked once more.
create index payments_watched on payments (watch_at_ms) where watch_at_ms is not null;

-- The money that trades brought.
create table receipts (
    account      text    not null,
    trade_no     text    not null,
    pay_id       text    not null references payments,
    total_fen    integer not null check (total_fen >= 0),
    receipt_fen  integer not null check (receipt_fen >= 0),
    paid_at_ms   integer,
    business_day text    not null,
    booked       text    not null check (booked in ('RECOGNISED', 'SUSPENSE')),
    primary key (account, trade_no)
) strict, without rowid;
create index receipts_of_payment on receipts (pay_id);
create index receipts_of_day on receipts (business_day, booked);

-- The money that went back, or is on its way.
create table refunds (
    refund_id      text    primary key,
    pay_id         text    not null references payments,
    trade_no       text    not null,
    out_request_no text    unique,
    amount_fen     integer not null check (amount_fen > 0),
    origin         text    not null check (origin in ('OURS', 'FOUND', 'FOREIGN', 'CANCEL')),
    status         text    not null check (status in ('INIT', 'PROCESSING', 'SUCCESS', 'FAIL')),
    position       integer not null,
    unique (pay_id, position)
) strict;

-- Verified statements of the gateway, as received. A conflict means that the statement is known, not that its effect is done.
create table evidence (
    pay_id         text    not null references payments,
    source         text    not null,
    hash           text    not null,
    text           text    not null,
    signature      text,
    cert_sn        text,
    asked_at_ms    integer not null,
    answered_at_ms integer,
    primary key (pay_id, source, hash)
) strict, without rowid;

-- What a person must decide or know.
create table cases (
    case_id      text    primary key,
    kind         text    not null,
    pay_id       text    not null references payments,
    trade_no     text,
    amount_fen   integer not null,
    proposal     text    not null,
    owner        text    not null,
    opened_at_ms integer not null,
    due_at_ms    integer not null,
    status       text    not null check (status in ('OPEN', 'RESOLVED')),
    resolution   text,
    resolved_by  text,
    resolved_at_ms integer,
    check ((status = 'RESOLVED') = (resolution is not null))
) strict;
create unique index cases_once on cases (kind, coalesce(trade_no, pay_id)) where status = 'OPEN';

-- One append-only table, four uses: audit log, timeline, outbox (its tail after acked_seq), feed of headquarters.
create table journal (
    seq       integer primary key,
    event_id  text    not null unique,
    kind      text    not null,
    pay_id    text,
    at_ms     integer not null,
    payload   text    not null,
    prev_hash text    not null,
    hash      text    not null
) strict;
create index journal_of_payment on journal (pay_id, seq) where pay_id is not null;

create trigger journal_is_never_changed before update on journal begin
    select raise(abort, 'the journal is append-only');
end;
create trigger journal_is_never_deleted before delete on journal begin
    select raise(abort, 'the journal is append-only');
end;

-- received - refunded = recognised + suspense, to the fen. A row here is a bug.
create view books_that_do_not_balance as
select p.pay_id
from payments p
where (select coalesce(sum(f.amount_fen), 0) from refunds f where f.pay_id = p.pay_id and f.status = 'SUCCESS')
    > (select coalesce(sum(r.total_fen), 0) from receipts r where r.pay_id = p.pay_id)
   or (p.status = 'SUCCESS' and not exists (select 1 from receipts r where r.pay_id = p.pay_id and r.booked = 'RECOGNISED'))
   or (p.status = 'SUSPENSE' and exists (select 1 from receipts r where r.pay_id = p.pay_id and r.booked = 'RECOGNISED'))
   or (p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'CLOSED', 'FAIL') and exists (select 1 from receipts r where r.pay_id = p.pay_id));
