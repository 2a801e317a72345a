//! The types of the pages are generated from those of Rust, and what is committed is what was generated.
//!
//! `make bindings` (YIDAN_WRITE_BINDINGS=1) writes them anew.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::Path;
use ts_rs::{Config, TS};
use yidan::view::{
    Approver, BillPage, CaseDetail, CaseLine, CollectResult, CommandError, CounterView, CustomerView, DayTotals,
    DecisionDraft, Finding, KeysDraft, OrderDetail, OrderLine, OrderQuery, PeopleDraft, PeopleView, RefundDraft,
    ResolveView, RetryDraft, SelfTestView, SettingsDraft, SettingsView, SetupDone, SetupDraft, StatusView,
};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui/src/shared/bindings");

#[test]
fn the_pages_know_the_types_of_rust() {
    if std::env::var_os("YIDAN_WRITE_BINDINGS").is_some() {
        std::fs::remove_dir_all(COMMITTED).unwrap();
        write_all(Path::new(COMMITTED));
    }
    let fresh = tempfile::tempdir().unwrap();
    write_all(fresh.path());
    let (committed, fresh) = (read_all(Path::new(COMMITTED)), read_all(fresh.path()));
    let names: Vec<&String> = committed.keys().chain(fresh.keys()).collect();
    let different: Vec<_> = names.into_iter().filter(|name| committed.get(*name) != fresh.get(*name)).collect();
    assert!(different.is_empty(), "ui/src/shared/bindings is old: run `make bindings`. Different: {different:?}");
}

/// What commands take and give, and what events carry; the types inside them come along.
fn write_all(folder: &Path) {
    // A page's numbers are exact up to 2^53; ours are milliseconds, counts and fen far below.
    let config = Config::new().with_large_int("number").with_out_dir(folder);
    let exports = [
        CounterView::export_all,
        CustomerView::export_all,
        CollectResult::export_all,
        CommandError::export_all,
        StatusView::export_all,
        OrderLine::export_all,
        OrderQuery::export_all,
        OrderDetail::export_all,
        DayTotals::export_all,
        CaseLine::export_all,
        CaseDetail::export_all,
        DecisionDraft::export_all,
        RefundDraft::export_all,
        RetryDraft::export_all,
        Approver::export_all,
        ResolveView::export_all,
        BillPage::export_all,
        PeopleView::export_all,
        PeopleDraft::export_all,
        Finding::export_all,
        SelfTestView::export_all,
        SetupDraft::export_all,
        SetupDone::export_all,
        SettingsView::export_all,
        SettingsDraft::export_all,
        KeysDraft::export_all,
    ];
    for export in exports {
        export(&config).unwrap();
    }
}

fn read_all(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect()
}
