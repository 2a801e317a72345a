//! Bills of another program that are opened at several tills. One till owns each; the others are told which one.

use crate::decide::claim::{Claimed, judge};
use crate::headquarters::Headquarters;
use crate::till::{Act, Came, name_of};
use crate::wire::HqReply;
use crate::world::{Event, Held, Violation, World};
use yidan_engine::Origin;
use yidan_payment::{Fen, Payment, RequestId};
use yidan_wire::{Claim, EventKind, Granted, NotGranted, OwnersPayment, PaymentState, WhyNot};

const SECOND: u64 = 1000;
/// A till that does not run is not tried for ever.
const MOST_TRIES: u32 = 20;

impl Headquarters {
    /// Judges a claim; the first one is kept.
    pub fn claim(&mut self, terminal: usize, claim: &Claim) -> HqReply {
        let name = name_of(terminal);
        let (amount, subject) = (claim.amount_fen, claim.subject.clone());
        let asked = Claimed { terminal_id: name.clone(), amount, subject };
        let first = self.claims.entry((claim.source.clone(), claim.external_ref.clone())).or_insert(asked).clone();
        let reported = self.find_payment_of_bill(&claim.source, &claim.external_ref);
        let Some(why) = judge(&first, &name, claim, reported.is_some()) else {
            return HqReply::Granted(Granted { terminal_id: name });
        };
        let payment = reported.map(|state| OwnersPayment {
            out_trade_no: state.out_trade_no.to_string(),
            status: state.status.as_str().into(),
            order_status: String::new(),
            changed_at_ms: state.created_at.0,
        });
        let Claimed { terminal_id, amount: amount_fen, subject } = first;
        HqReply::NotGranted(Box::new(NotGranted {
            why,
            terminal_id,
            amount_fen,
            subject,
            payment,
            detail: String::new(),
        }))
    }

    /// Who reports a bill's payment owned it when it began, also if this headquarters was restored and forgot that.
    pub(crate) fn note_owner(&mut self, terminal_id: &str, kind: EventKind, state: &PaymentState) {
        let Some(external_ref) = state.external_ref.clone().filter(|_| kind == EventKind::Collecting) else { return };
        let first =
            Claimed { terminal_id: terminal_id.into(), amount: state.amount_fen, subject: state.subject.clone() };
        self.claims.entry((state.source.clone(), external_ref)).or_insert(first);
    }
}

impl World {
    /// Some bills are opened at other tills as well: at the same moment, a little later, much later.
    pub(crate) fn plan_other_tills(&mut self, customer: usize) {
        let count = self.tills.iter().filter(|till| !till.is_clone).count();
        let is_planned = self.customers[customer].bill.is_some() && count > 1;
        if !is_planned || !self.side.happens(self.faults.other_till) {
            return;
        }
        for _ in 0..self.side.between(1, 3) {
            let till = self.side.place(count);
            let most = self.side.pick(&[50, SECOND, 20 * SECOND, 120 * SECOND, 900 * SECOND]);
            let wait = self.side.below(most);
            self.push(wait, Event::OtherTill { customer, till, tries: 0 });
        }
    }

    /// The bill is opened at a till, now and then with another amount.
    pub(crate) fn collect_elsewhere(&mut self, customer: usize, till: usize, tries: u32) {
        let is_open = self.tills[till].running.is_some() && !self.tills[till].has_other_keys;
        if !is_open {
            if tries < MOST_TRIES && !self.is_calm {
                let wait = self.side.between(2 * SECOND, 20 * SECOND);
                self.push(wait, Event::OtherTill { customer, till, tries: tries + 1 });
            }
            return;
        }
        if self.customers[customer].paid_cash {
            return;
        }
        self.counts.add("bill at another till");
        let mut order = self.order_of(customer);
        order.request_id = RequestId::new(uuid::Uuid::from_u64_pair(self.side.draw(), self.side.draw()));
        if self.side.happens(150) {
            order.amount = Fen::from_fen(order.amount.as_fen() + 1).expect("a small amount");
        }
        if let Some(running) = &mut self.tills[till].running {
            running.act(customer, Act::CollectElsewhere(order));
        }
    }

    /// A till has said whose a bill is: there is one owner, one amount, and everybody is told the same.
    pub(crate) fn bill_came(&mut self, till: usize, customer: usize, act: &Act, came: &Came) -> Held {
        let (Act::CollectElsewhere(order) | Act::Collect(order) | Act::WithCode { order, .. }) = act else {
            return Ok(());
        };
        if !matches!(order.origin, Origin::Bill { .. }) {
            return Ok(());
        }
        match came {
            Came::Payment(payment) if payment.amount != order.amount => broken(format!(
                "bill of customer {customer}: {} was asked for and {} came",
                order.amount, payment.amount
            )),
            Came::Payment(payment) => self.go_to_owner(customer, till, payment),
            Came::Owned(why) => self.check_owner(customer, till, why),
            Came::OtherAmount => {
                self.counts.add("bill of another amount");
                self.wait_unless_elsewhere(customer, act);
                Ok(())
            }
            Came::SameAmount(_) | Came::Refund(_) | Came::Done | Came::Refused => Ok(()),
        }
    }

    /// The customer pays where the bill is.
    fn go_to_owner(&mut self, customer: usize, till: usize, payment: &Payment) -> Held {
        let known = self.customers[customer].payment.filter(|known| *known != payment.pay_id);
        // A till that has it may have collected it before, too, and died before the customer came over.
        let has = |known| {
            self.tills[till].running.as_ref().is_some_and(|it| it.engine.database().load_payment(known).is_ok())
        };
        let is_elsewhere = known.is_some_and(|known| !has(known)) && self.customers[customer].till != till;
        let here = &mut self.customers[customer];
        if is_elsewhere {
            return broken(format!("the bill of customer {customer} is collected at two tills"));
        }
        (here.till, here.payment) = (till, Some(payment.pay_id));
        Ok(())
    }

    fn check_owner(&mut self, customer: usize, till: usize, why: &NotGranted) -> Held {
        self.counts.add("bill of another till");
        let owner = (0..self.tills.len()).find(|owner| name_of(*owner) == why.terminal_id);
        let Some(owner) = owner.filter(|owner| why.why != WhyNot::Owned || *owner != till) else {
            return broken(format!(
                "till {till} was told that the bill of customer {customer} is {}'s",
                why.terminal_id
            ));
        };
        if let Some(other) = self.find_bill_at(customer).find(|other| *other != owner) {
            return broken(format!("the bill of customer {customer} is till {owner}'s, and till {other} collects it"));
        }
        let here = &mut self.customers[customer];
        if here.payment.is_none() {
            here.till = owner;
            self.try_later(customer);
        }
        Ok(())
    }

    /// The tills that have the customer's bill in their records.
    fn find_bill_at(&self, customer: usize) -> impl Iterator<Item = usize> {
        let bill = self.customers[customer].bill.clone().unwrap_or_default();
        let has = move |till: &crate::world::Till| {
            let running = till.running.as_ref()?;
            running.engine.database().find_by_bill("pos", &bill).ok()?
        };
        let originals = self.tills.iter().enumerate().filter(|(_, till)| !till.is_clone);
        originals.filter_map(move |(number, till)| has(till).map(|_| number))
    }

    fn wait_unless_elsewhere(&mut self, customer: usize, act: &Act) {
        if matches!(act, Act::Collect(_)) {
            self.try_later(customer);
        }
    }

    /// Headquarters was restored and has not been told again of a bill that another till owns: a shop does not open one
    /// bill twice in that minute.
    pub(crate) fn is_claim_lost(&self, till: usize, claim: &Claim) -> bool {
        let is_known = self.hq.claims.contains_key(&(claim.source.clone(), claim.external_ref.clone()));
        if is_known || self.counts.of("headquarters restored") == 0 {
            return false;
        }
        let mut others = self.tills.iter().enumerate().filter(|(other, _)| *other != till).map(|(_, other)| other);
        others.any(|other| match &other.running {
            Some(running) => {
                let known = running.engine.database().find_by_bill(&claim.source, &claim.external_ref);
                known.is_ok_and(|known| known.is_some())
            }
            None => true,
        })
    }
}

fn broken(why: String) -> Held {
    Err(Violation(why))
}
