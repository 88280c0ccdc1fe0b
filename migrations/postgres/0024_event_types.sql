-- Which types of events there are, the program says alone: another one needs no migration.
ALTER TABLE webhook_events DROP CONSTRAINT webhook_events_type_check;
