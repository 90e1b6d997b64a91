import { WAKE_MODES, type WakeMode } from '../../domain/message/route-choice'
import type { KeySpec } from '../key-spec'
import { isOff } from '../parse-values'

/** The settings of messages by key. */
export interface MessageSettings {
  'messages.wake': WakeMode
}

export const MESSAGE_KEYS: { readonly [K in keyof MessageSettings]: KeySpec<MessageSettings[K]> } = {
  'messages.wake': {
    help: 'how results and questions wake an idle conversation: socket = the message socket of newer releases; rewake = a waiting hook, added by the next lode setup claude; all = both; off',
    isProjectSafe: false,
    isLive: true,
    fallback: () => 'socket',
    parse: (value) => {
      // YAML reads a bare `off` as false.
      const found = isOff(value) ? 'off' : WAKE_MODES.find((each) => each === value)
      if (found === undefined) throw new Error(`must be one of ${WAKE_MODES.join(', ')}`)
      return found
    },
  },
}
