import { Check, Minus } from 'lucide-react'
import { Dialog } from '../../../components/ui/dialog'
import { visibleText } from '../../../lib/visible-text'
import type { VerbState } from './session-verbs'

/** What can be done with the agent of this session, and why the rest cannot. */
export function VerbsDialog({ verbs, onClose }: { verbs: readonly VerbState[]; onClose(): void }) {
  return (
    <Dialog title="What you can do with this session" onClose={onClose} isText>
      <ul className="flex flex-col gap-2.5 text-sm">
        {verbs.map(({ verb, label, does, whyNot }) => (
          <li key={verb} className="flex gap-2">
            <span className={`pt-0.5 ${whyNot === null ? 'text-done' : 'text-ink-3'}`}>
              {whyNot === null ? <Check aria-hidden size={14} /> : <Minus aria-hidden size={14} />}
            </span>
            <div>
              <p className="font-medium">
                {label}
                {whyNot === null ? null : <span className="font-normal text-ink-2">: not now</span>}
              </p>
              <p className="text-ink-2">{visibleText(whyNot ?? does)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
