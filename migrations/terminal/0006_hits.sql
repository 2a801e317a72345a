-- "Did I pay?": any number by its last four characters, amounts, and times.
create index orders_by_ending on orders (substr(order_no, -4), created_at_ms);
create index orders_by_ref_ending on orders (substr(external_ref, -4), created_at_ms) where external_ref is not null;
create index orders_by_amount on orders (amount_fen, created_at_ms);
create index orders_by_time on orders (created_at_ms);
create index payments_by_ending on payments (substr(out_trade_no, -4), created_at_ms);
create index payments_by_trade_ending on payments (substr(trade_no, -4), created_at_ms);
create index receipts_by_trade on receipts (trade_no);
