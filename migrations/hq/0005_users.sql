-- Who may look. Passwords and session tokens only as hashes.
create table users (
    name          text   not null primary key,
    password_hash text   not null,
    created_at    bigint not null
);

create table sessions (
    token_hash text   not null primary key,
    user_name  text   not null references users (name),
    created_at bigint not null,
    expires_at bigint not null
);
create index sessions_by_end on sessions (expires_at);

-- Also for names that do not exist, so that nobody can find out which do.
create table sign_in_failures (
    name         text   not null primary key,
    failures     bigint not null,
    last_at      bigint not null,
    locked_until bigint not null
);
