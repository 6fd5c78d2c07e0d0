-- When its recorder took an observation back, and why. It stays: answers that were asked for
-- as of an earlier time still have it.
ALTER TABLE observation ADD COLUMN withdrawn INTEGER;
ALTER TABLE observation ADD COLUMN withdrawn_because TEXT;
