/** Loaded before the program, and before each of its threads: new tasks begin in Pi. */
import { piHarness } from '../../src/harness/pi/agent-harness'
import { enterHarness } from '../../src/harness/registry'

enterHarness(piHarness, import.meta.path)
