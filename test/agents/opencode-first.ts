/** Loaded before the program, and before each of its threads: new tasks begin in opencode. */
import { opencodeHarness } from '../../src/harness/opencode/agent-harness'
import { enterHarness } from '../../src/harness/registry'

enterHarness(opencodeHarness, import.meta.path)
