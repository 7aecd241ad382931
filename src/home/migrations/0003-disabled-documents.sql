-- Since when administrators of the installation have disabled a document.
alter table documents add column disabled_at integer;
