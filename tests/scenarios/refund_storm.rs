//! Refunds in bad weather: wishes, retries, the phone app, lost answers and deaths of the till in random order. In the end
//! counter, sandbox and headquarters agree to the fen, and never more went back than came.

use crate::prelude::*;

const CALLS: [&str; 3] = ["alipay.trade.refund", "alipay.trade.fastpay.refund.query", "alipay.trade.query"];
const WEATHER: [FaultKind; 10] = [
    FaultKind::LoseAnswer,
    FaultKind::DropBefore,
    FaultKind::Unavailable20000,
    FaultKind::SystemErrorBefore,
    FaultKind::SystemErrorAfter,
    FaultKind::BadSignature,
    FaultKind::EmptyOk,
    FaultKind::Limited40005,
    FaultKind::FundChangeN,
    FaultKind::NoDateHeader,
];

/// xorshift: the seed is all that is needed to see it again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).expect("small")).expect("small")
    }
}

struct Storm {
    shop: Shop,
    payment: Payment,
    dice: Dice,
    /// Every click so far; a click may be repeated.
    clicks: Vec<(RequestId, Fen)>,
    /// Numbers of refunds that the phone app made.
    elsewhere: Vec<String>,
}

#[tokio::test]
async fn the_books_agree_when_it_is_over() {
    for seed in [0x9E37_79B9_7F4A_7C15_u64, 0xD1B5_4A32_D192_ED03, 0x0000_BEEF_CAFE_0001] {
        let shop = Shop::open().await;
        let payment = paid(&shop, "100.00").await;
        let mut storm = Storm { shop, payment, dice: Dice(seed), clicks: Vec::new(), elsewhere: Vec::new() };
        for _ in 0..24 {
            storm.goes_on().await;
        }
        storm.ends(seed).await;
    }
}

impl Storm {
    async fn goes_on(&mut self) {
        match self.dice.roll(10) {
            0..=2 => {
                let kind = WEATHER[self.dice.roll(WEATHER.len())];
                self.shop.alipay.next_fault(Fault::once(CALLS[self.dice.roll(CALLS.len())], kind));
            }
            3..=4 => self.clicks().await,
            5 => {
                if let Some((click, _)) = self.clicks.last() {
                    let _refused = self.shop.counter.retries_refund(*click).await;
                }
            }
            6 => {
                let fen = i64::try_from(self.dice.roll(1_500) + 1).expect("small");
                self.elsewhere.extend(self.shop.alipay.refund_elsewhere(self.payment.out_trade_no.as_str(), fen));
            }
            7 => self.shop.counter.restarts().await,
            8 => self.shop.alipay.change_settings(|settings| settings.seller_is_broke = !settings.seller_is_broke),
            _ => {
                let wait = self.dice.roll(12);
                self.shop.turn(seconds(u64::try_from(wait).expect("small"))).await;
            }
        }
    }

    /// A new click, or an old one once more.
    async fn clicks(&mut self) {
        let again = self.dice.roll(3) == 0;
        let (click, amount) = match self.clicks.last() {
            Some(last) if again => *last,
            Some(_) | None => {
                let fen = i64::try_from(self.dice.roll(3_000) + 1).expect("small");
                (new_request(), Fen::from_fen(fen).expect("positive"))
            }
        };
        if self.shop.counter.tries_to_refund(click, &self.payment, amount).await.is_ok() {
            self.clicks.push((click, amount));
        }
    }

    async fn ends(self, seed: u64) {
        let Storm { shop, payment, elsewhere, .. } = self;
        shop.alipay.clear_faults();
        shop.alipay.change_settings(|settings| settings.seller_is_broke = false);
        shop.turn(minutes(3)).await;
        for number in elsewhere {
            let pay_id = payment.pay_id;
            let asked =
                shop.counter.asks(move |engine| async move { engine.ask_refund(pay_id, &number).await.is_ok() });
            assert!(asked.await);
        }
        shop.turn(minutes(2)).await;

        let known = shop.counter.payment(&payment).await;
        assert!(!known.refunds.iter().any(yidan_payment::Refund::is_under_way), "seed {seed:#x}: {:?}", known.refunds);
        let went_back = shop.alipay.trade(payment.out_trade_no.as_str()).expect("a trade").refunded_fen;
        assert!(went_back <= 10_000, "seed {seed:#x}");
        let booked = known.books().expect("balanced").refunded;
        assert_eq!(booked.as_fen(), went_back, "seed {seed:#x}: {:?}", known.refunds);
        shop.refunds_agree(&payment, booked).await;
    }
}
