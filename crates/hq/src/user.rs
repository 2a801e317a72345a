//! People who may look: names and argon2id hashes of passwords.

use crate::database::Database;
use crate::problem::Problem;
use crate::secret::Secret;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use std::sync::LazyLock;
use yidan_payment::UtcMs;

/// The shortest password that is taken.
pub const MIN_PASSWORD: usize = 10;

/// Hash that no password has, so that an unknown name takes as long as a known one.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash(&Secret::random()));

/// Adds a user, or gives one a new password; all sessions of that user end.
///
/// # Errors
/// A name or password that is not taken, or the database.
pub async fn set_user(database: &Database, name: &str, password: &Secret, now: UtcMs) -> Result<(), Problem> {
    if name.is_empty() || name.len() > 64 || name.trim() != name {
        return Err(Problem::NotUnderstood("a name must have 1 to 64 letters and no blanks around it".into()));
    }
    if password.reveal().chars().count() < MIN_PASSWORD {
        return Err(Problem::NotUnderstood(format!("a password must have at least {MIN_PASSWORD} letters")));
    }
    let password_hash = hash(password);
    let mut transaction = database.writer.begin().await?;
    sqlx::query(
        "insert into users (name, password_hash, created_at) values ($1, $2, $3) \
         on conflict (name) do update set password_hash = excluded.password_hash",
    )
    .bind(name)
    .bind(password_hash)
    .bind(now.0)
    .execute(&mut *transaction)
    .await?;
    sqlx::query("delete from sessions where user_name = $1").bind(name).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Whether the password is the user's. Slow on purpose, also for a name that does not exist.
///
/// # Errors
/// The database.
pub async fn is_password_of(database: &Database, name: &str, password: Secret) -> Result<bool, sqlx::Error> {
    let known: Option<String> = sqlx::query_scalar("select password_hash from users where name = $1")
        .bind(name)
        .fetch_optional(&database.reader)
        .await?;
    let is_known = known.is_some();
    let matches = tokio::task::spawn_blocking(move || verify(&known.unwrap_or_else(|| NOBODY.clone()), &password));
    Ok(matches.await.unwrap_or(false) && is_known)
}

fn hash(password: &Secret) -> String {
    Argon2::default()
        .hash_password(password.reveal().as_bytes())
        .expect("the default parameters and a random salt are valid")
        .to_string()
}

fn verify(hash: &str, password: &Secret) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.reveal().as_bytes(), &hash).is_ok())
}
