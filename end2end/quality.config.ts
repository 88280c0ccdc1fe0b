import base from './playwright.config.ts';

/** Part of `make test-long`: what axe, Lighthouse and the scales say of the dashboard. */
export default { ...base, testDir: 'quality', timeout: 1_800_000 };
