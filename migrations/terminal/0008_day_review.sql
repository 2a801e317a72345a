-- A day is added up from these alone, however many years lie in the file.
drop index receipts_of_day;
create index receipts_of_day on receipts (business_day, booked, pay_id, trade_no, total_fen, paid_at_ms);
create index payments_unsure on payments (order_id, amount_fen)
    where status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'SUSPENSE');
