/** Loaded before the program, and before each of its threads: new tasks begin in Codex. */
import { codexHarness } from '../../src/harness/codex/agent-harness'
import { enterHarness } from '../../src/harness/registry'

enterHarness(codexHarness, import.meta.path)
