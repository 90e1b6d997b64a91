/** Set to `1` by the test run's `--every-cli`: each test of the real CLI runs with every release of it. */
export const EVERY_CLI_VARIABLE = 'LODELINE_TEST_EVERY_CLI'
