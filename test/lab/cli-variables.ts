/** Set to `1` by the test run's `--every-cli`: each test of the real CLI runs with every release of it. */
export const EVERY_CLI_VARIABLE = 'LODELINE_TEST_EVERY_CLI'

/** `VERSION=FOLDER`, set by the test run's `--cli`: tests run with this release alone, which is in `node_modules` of the folder. */
export const ONE_CLI_VARIABLE = 'LODELINE_TEST_ONE_CLI'

/** A whole number, set by the test run's `--seed`: properties draw the same values in each run. Unset, they draw others each time. */
export const DRAW_SEED_VARIABLE = 'LODELINE_TEST_SEED'
