-- Alipay's bills as they were read, and what was done about each difference. A bill line never books money; a day that is
-- read again replaces itself. Days are Beijing's, as Alipay cuts them.

create table bill_days (
    bill_day        text    primary key,
    origin          text    not null check (origin in ('FETCHED', 'IMPORTED')),
    begin_ms        integer not null,
    end_ms          integer not null check (end_ms > begin_ms),
    read_at_ms      integer not null,
    trade_count     integer not null,
    trade_fen       integer not null,
    refund_count    integer not null,
    refund_fen      integer not null,
    receipt_fen     integer not null,
    fee_fen         integer not null
) strict, without rowid;

create table bill_lines (
    bill_day        text    not null references bill_days,
    line            integer not null,
    kind            text    not null check (kind in ('TRADE', 'REFUND', 'OTHER')),
    trade_no        text    not null,
    out_trade_no    text    not null,
    out_request_no  text,
    finished_at_ms  integer not null,
    order_fen       integer not null,
    receipt_fen     integer not null,
    fee_fen         integer not null,
    subject         text    not null,
    store_id        text    not null,
    terminal_id     text    not null,
    primary key (bill_day, line)
) strict, without rowid;
create index bill_lines_of_number on bill_lines (out_trade_no);
create index bill_lines_of_trade on bill_lines (trade_no);

-- Differences that were settled, or wait for a person. Each is acted upon once.
create table bill_findings (
    class           text    not null,
    out_trade_no    text    not null,
    trade_no        text    not null,
    out_request_no  text    not null,
    pay_id          text    references payments,
    bill_day        text    not null,
    bill_fen        integer,
    our_fen         integer,
    done            text    not null check (done in ('CASE', 'TOLD')),
    found_at_ms     integer not null,
    due_at_ms       integer not null,
    owner           text    not null,
    status          text    not null check (status in ('OPEN', 'RESOLVED')),
    resolution      text,
    resolved_by     text,
    resolved_at_ms  integer,
    primary key (class, out_trade_no, trade_no, out_request_no),
    check ((status = 'RESOLVED') = (resolution is not null))
) strict, without rowid;
create index bill_findings_open on bill_findings (found_at_ms) where status = 'OPEN';

-- Payments that ended without a trade and were asked for once more after the bill of their last day was in.
create table bill_asked_again (
    pay_id          text    primary key references payments,
    bill_day        text    not null,
    asked_at_ms     integer not null
) strict, without rowid;

-- What a bill must hold: refunds by when they moved, payments without a trade by when their last code was sent.
create index journal_refunds on journal (at_ms) where kind = 'refunded';
create index payments_ended_unseen on payments (precreated_at_ms) where status in ('CLOSED', 'FAIL') and trade_seen = 0;
-- Money that came after its day was over is looked up by when it was booked.
create index payments_booked on payments (booked_at_ms) where booked_at_ms is not null;
