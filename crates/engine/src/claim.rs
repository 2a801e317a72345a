//! Whose a bill of another program is. With headquarters: it says so, durably. Without: a setting of this terminal.

use crate::{Engine, Error, HqError, NewOrder, Origin};
use yidan_wire::{Claim, WhyNot};

const SOURCES: &str = "bill_sources";
/// Programs on this computer: the terminal's own, unless somebody says otherwise.
const HERE: &str = "local";

impl Engine {
    /// Sets of which sources this terminal takes bills while it has no headquarters. No other terminal may be set for them.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn set_bill_sources(&self, sources: &[&str]) -> Result<(), Error> {
        self.database.save_settings(&[(SOURCES, &sources.join("\n"))])
    }

    /// Makes sure that a new bill is this terminal's before anything of it is written down. May be repeated.
    pub(crate) async fn claim_bill(&self, order: &NewOrder) -> Result<(), Error> {
        let Origin::Bill { source, external_ref } = &order.origin else { return Ok(()) };
        // What is in our records was ours before.
        let is_known = || Ok::<_, Error>(self.database.find_by_bill(source, external_ref)?.is_some());
        if is_known()? {
            return Ok(());
        }
        self.check_records()?;
        let Some(hq) = &self.hq else { return self.check_source(source) };
        let claim = Claim {
            source: source.clone(),
            external_ref: external_ref.clone(),
            amount_fen: order.amount,
            subject: order.subject.clone(),
        };
        match hq.claim(&claim).await {
            Ok(_) => Ok(()),
            Err(HqError::NotGranted(why)) => match why.why {
                WhyNot::Owned => Err(Error::BillOwned(why)),
                WhyNot::Changed => Err(Error::BillChanged { external_ref: external_ref.clone() }),
                // Another click may have opened and reported it in the meantime.
                WhyNot::Reported if is_known()? => Ok(()),
                WhyNot::Reported => {
                    self.outbox.notify_one();
                    Err(Error::HistoryDiffers)
                }
            },
            Err(error) => Err(Error::NoClaim(error)),
        }
    }

    fn check_source(&self, source: &str) -> Result<(), Error> {
        let set = self.database.find_setting(SOURCES)?;
        let is_ours = set.as_deref().unwrap_or(HERE).lines().any(|ours| ours == source);
        if is_ours { Ok(()) } else { Err(Error::SourceNotOurs { bills_of: source.to_owned() }) }
    }
}
