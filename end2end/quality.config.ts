import base from './playwright.config.ts';

/** Part of `make test-long`: what axe and Lighthouse say of the dashboard, and its sizes. */
export default { ...base, testDir: 'quality', timeout: 1_800_000 };
