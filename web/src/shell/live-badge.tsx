import { Moon, Plug, PlugZap, Unplug } from 'lucide-react'
import { useLive } from '../lib/live/live-state'
import { lengthOf, useNow } from '../lib/time'

/** Whether the page is live, and if not, since when. */
export function LiveBadge() {
  const live = useLive()
  const now = useNow()
  const shown = (() => {
    switch (live.kind) {
      case 'live':
        return { icon: PlugZap, tone: 'text-ink-3', text: 'live', title: 'Changes appear as they happen.' }
      case 'connecting':
        return { icon: Plug, tone: 'text-ink-3', text: 'connecting', title: 'Connecting to the server.' }
      case 'asleep':
        return { icon: Moon, tone: 'text-ink-3', text: 'asleep', title: 'Updates resume when the page is visible.' }
      case 'disconnected':
        return {
          icon: Unplug,
          tone: 'text-fail font-medium',
          text: `disconnected ${lengthOf(now - live.since)}`,
          title: `This page may be out of date. ${live.reason}`,
        }
    }
  })()
  const Icon = shown.icon
  return (
    <output
      aria-live="polite"
      data-live={live.kind}
      title={shown.title}
      className={`inline-flex items-center gap-1.5 text-xs ${shown.tone}`}
    >
      <Icon aria-hidden size={13} />
      {shown.text}
    </output>
  )
}
