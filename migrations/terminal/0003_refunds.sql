-- A refund: who wanted it and why, what was sent and when, and what the gateway said.

alter table refunds add column request_id  text;
alter table refunds add column reason      text;
alter table refunds add column operator_id text;
alter table refunds add column approver_id text;
alter table refunds add column asked_at_ms integer;
alter table refunds add column sent_at_ms  integer;
alter table refunds add column tries       integer not null default 0 check (tries >= 0);
alter table refunds add column refused     text;
alter table refunds add column proved      integer not null default 0 check (proved in (0, 1));
-- The same click, however often it comes, is one refund.
create unique index refunds_once on refunds (request_id) where request_id is not null;
-- What a restart resumes.
create index refunds_open on refunds (pay_id) where status in ('INIT', 'PROCESSING') or (status = 'SUCCESS' and proved = 0);

-- Money of a second trade that a person recognised pays for a sale of its own.
alter table receipts add column sale_id text;

-- Refunds that somebody told us about (a notice, a bill): kept until the gateway has answered.
create table refund_questions (
    pay_id         text not null references payments,
    out_request_no text not null,
    since_ms       integer not null,
    primary key (pay_id, out_request_no)
) strict, without rowid;

-- A case is decided once; money that goes back keeps it open until the money is back.
alter table cases add column decision      text check (decision in ('RECOGNISE', 'REFUND', 'KEEP', 'SEEN'));
alter table cases add column decided_by    text;
alter table cases add column decided_at_ms integer;
alter table cases add column note          text;

-- A code is used once. Only its hash is kept.
create table buyer_codes (
    code_hash text primary key,
    pay_id    text not null unique references payments
) strict, without rowid;

-- Operators who have left stay in the records.
alter table operators add column removed_at_ms integer;
