/** How tests start `lode`. */
import { resolve } from 'node:path'

/** Set by the test run to an executable that it compiled of this source: it starts with a fifth of the work. */
export const EXECUTABLE_VARIABLE = 'LODELINE_EXECUTABLE_UNDER_TEST'

const executable = process.env[EXECUTABLE_VARIABLE]
const source = resolve(import.meta.dir, '../src/cli/main.ts')

/** argv; arguments follow. The source, where a test file is run by itself. */
export const LODE: [string, ...string[]] =
  executable === undefined ? [process.execPath, '--no-env-file', '--config=/dev/null', source] : [executable]

/** The same as words of a shell. */
export const LODE_WORDS = LODE.map((word) => `'${word}'`).join(' ')
