-- Null: no limit.
alter table api_keys add column scopes text;
alter table api_keys add column restrictions text;
alter table api_keys add column networks text;
alter table api_keys add column last_used_address text;
alter table api_keys add column use_count integer not null default 0;
