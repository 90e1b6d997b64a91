/** Loaded before the program, and before each of its threads: new tasks begin in Copilot CLI. */
import { copilotHarness } from '../../src/harness/copilot/agent-harness'
import { enterHarness } from '../../src/harness/registry'

enterHarness(copilotHarness, import.meta.path)
