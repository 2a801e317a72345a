//! Runs before the shell is compiled: permissions of the commands, the pages' folder, the icons.

use std::path::Path;

/// Every command of the pages. A window may call only those that its capability file names.
const COMMANDS: &[&str] = &[
    "boot",
    "status",
    "self_test",
    "want_self_test",
    "collect",
    "stop",
    "resume",
    "refresh",
    "new_code",
    "ask_now",
    "collect_again",
    "collect_with_code",
    "dismiss",
    "list_orders",
    "order_detail",
    "day_totals",
    "list_cases",
    "approvers",
    "refund",
    "retry_refund",
    "case_detail",
    "decide",
    "resolve",
    "bill_page",
    "fetch_bill",
    "import_bill",
    "apply_bill",
    "people",
    "change_people",
    "check_setup",
    "finish_setup",
    "start_demo",
    "unlock",
    "settings",
    "save_settings",
    "set_language",
    "check_keys",
    "enrol",
    "open_phone",
    "customer_view",
];

const PLACEHOLDER: &str = "<!doctype html><meta charset=utf-8><title>一单</title><p>make ui\n";

fn main() {
    make_pages_folder(Path::new("../ui/dist")).expect("the folder of the pages can be made");
    let attributes = tauri_build::Attributes::new().app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    tauri_build::try_build(attributes).expect("tauri.conf.json and the capabilities hold together");
}

/// A clean clone compiles before the pages are built. What is there is never overwritten. The placeholder is as old as
/// can be, so that `make` knows that the pages are still to be built.
fn make_pages_folder(folder: &Path) -> std::io::Result<()> {
    let page = folder.join("index.html");
    if page.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(&page, PLACEHOLDER)?;
    std::fs::File::options().write(true).open(page)?.set_modified(std::time::UNIX_EPOCH)
}
