import type { CliPlace, CliState } from '../../../domain/harness/harness-run'
import { sessionFolder } from '../session-folder'

/**
 * To go on in its conversation a run needs the sessions of its folder. A login that the CLI renews must not be lost, or the person is
 * logged out.
 */
export const state = (place: CliPlace): CliState => ({
  kept: [sessionFolder(place)],
  shared: ['auth.json'],
  private: ['sessions', 'models-store.json', 'debug', 'crash', 'tmp', 'cache'],
  needed: [],
  copied: [],
  readable: [],
  elsewhere: [],
  hidden: [],
})
