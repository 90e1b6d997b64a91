/** Loaded before the test files that have properties. */
import fc from 'fast-check'
import { DRAW_SEED_VARIABLE } from './lab/cli-variables'

const seed = process.env[DRAW_SEED_VARIABLE]
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
