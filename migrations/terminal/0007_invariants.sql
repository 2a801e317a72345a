-- What must be true after every step. A row here is a bug.
--
-- received - refunded = recognised + suspense, to the fen, trade by trade; money that waits is owned by a case; one sale
-- has one charge.

drop view books_that_do_not_balance;
create view books_that_do_not_balance as
with trades as (
    select r.pay_id, r.trade_no, r.booked, r.total_fen, coalesce(r.sale_id, p.sale_id) as sale_id,
           (select coalesce(sum(f.amount_fen), 0) from refunds f
            where f.pay_id = r.pay_id and f.trade_no = r.trade_no and f.status = 'SUCCESS') as back_fen
    from receipts r join payments p using (pay_id)
)
-- More went back than came.
select pay_id from trades where back_fen > total_fen
-- Money went back that never came.
union
select f.pay_id from refunds f
where f.status = 'SUCCESS'
  and not exists (select 1 from receipts r where r.pay_id = f.pay_id and r.trade_no = f.trade_no)
-- Money waits, and nobody is asked about it.
union
select t.pay_id from trades t
where t.booked = 'SUSPENSE' and t.back_fen < t.total_fen
  and not exists (select 1 from cases c where c.pay_id = t.pay_id and c.trade_no = t.trade_no and c.status = 'OPEN')
-- Two charges of one sale.
union
select t.pay_id from trades t join trades other on other.sale_id = t.sale_id
where t.booked = 'RECOGNISED' and other.booked = 'RECOGNISED'
  and (other.pay_id <> t.pay_id or other.trade_no <> t.trade_no)
  and t.back_fen < t.total_fen and other.back_fen < other.total_fen
-- The status and the money contradict one another.
union
select p.pay_id from payments p
where (p.status = 'SUCCESS' and not exists (select 1 from trades t where t.pay_id = p.pay_id and t.booked = 'RECOGNISED'))
   or (p.status = 'SUSPENSE' and exists (select 1 from trades t where t.pay_id = p.pay_id and t.booked = 'RECOGNISED'))
   or (p.status in ('INIT', 'PRECREATED', 'PAYING', 'CLOSING', 'CLOSED', 'FAIL') and exists (select 1 from trades t where t.pay_id = p.pay_id));
