/** Loaded before the program, and before each of its threads: what makes the made-up CLI one of those that Lodeline knows. */
import { enterHarness } from '../../../src/harness/registry'
import { madeUp } from './harness'

enterHarness(madeUp, import.meta.path)
