import base from './playwright.config.ts';

/** `make screenshots`: every page of the dashboard, into target/screenshots. */
export default { ...base, testDir: 'screenshots', timeout: 900_000 };
