//! What the pages may ask. Parse, call, show; never decide.
//!
//! Which window may ask what is in `capabilities/`.

mod bill;
mod cases;
mod collect;
mod first_run;
mod look;
mod people;
mod refund;
mod resolve;
mod settings;

use crate::till::Till;
use crate::view::CommandError;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;
use tauri::State;
use tauri::ipc::Invoke;
use yidan_engine::Engine;

/// The till as commands receive it.
type Shared<'a> = State<'a, Arc<Till>>;

/// Every command, for the window.
pub fn all() -> impl Fn(Invoke) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        look::boot,
        look::status,
        look::self_test,
        look::want_self_test,
        look::list_orders,
        look::order_detail,
        look::day_totals,
        look::list_cases,
        look::customer_view,
        collect::collect,
        collect::stop,
        collect::resume,
        collect::refresh,
        collect::new_code,
        collect::ask_now,
        collect::collect_again,
        collect::collect_with_code,
        collect::dismiss,
        refund::approvers,
        refund::refund,
        refund::retry_refund,
        cases::case_detail,
        cases::decide,
        resolve::resolve,
        bill::bill_page,
        bill::fetch_bill,
        bill::import_bill,
        bill::apply_bill,
        people::people,
        people::change_people,
        first_run::check_setup,
        first_run::finish_setup,
        first_run::start_demo,
        first_run::unlock,
        settings::settings,
        settings::save_settings,
        settings::set_language,
        settings::check_keys,
        settings::enrol,
        settings::open_phone,
    ]
}

/// Has the engine do `work`, then lets the screens look again.
async fn ask<T, F, Fut>(till: &Till, work: F) -> Result<T, CommandError>
where
    T: Send + 'static,
    F: FnOnce(Rc<Engine>) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, CommandError>> + 'static,
{
    let answer = till.counter()?.ask(work).await?;
    till.look_again();
    answer
}

/// Reads a name that the pages were given by us.
fn read<T: FromStr>(text: &str) -> Result<T, CommandError> {
    text.parse().map_err(|_| CommandError::plain(crate::view::ErrorKind::NotNow))
}
