import { Send } from 'lucide-react'
import { MESSAGE_LIMITS } from '#domain/message/message'
import { Dialog } from '../../../components/ui/dialog'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'
import { visibleText } from '../../../lib/visible-text'
import type { PatchLine } from '../rows/session-texts'

/** A line of a file that somebody has something to say about. */
export interface CommentPlace {
  path: string
  line: PatchLine
}

/** Characters of the line that a message quotes. */
const MAX_QUOTE = 300

/** What is sent to the agent: the file, the line, what stands there, and the words. */
export function commentText({ path, line: { old, new: now, sign, text } }: CommentPlace, words: string): string {
  const number = sign === '-' ? old : now
  const where = number === null ? path : `${path}, ${sign === '-' ? 'removed line' : 'line'} ${number}`
  return `About ${where}:\n> ${text.slice(0, MAX_QUOTE)}\n\n${words}`
}

interface CommentDialogProps {
  place: CommentPlace
  address: string
  onClose(): void
}

/** A comment at a line of a change becomes a message to the agent that made it. */
export function CommentDialog({ place, address, onClose }: CommentDialogProps) {
  return (
    <Dialog title="Comment on a line" onClose={onClose}>
      <pre className="mb-3 rounded border border-line bg-sunken px-2 py-1 font-mono text-xs whitespace-pre-wrap">
        {visibleText(commentText(place, '').trim())}
      </pre>
      <WordsForm
        label="Comment"
        hint="The agent gets it as a message, with the file and the line."
        limit={MESSAGE_LIMITS.text - MAX_QUOTE - place.path.length - 100}
        button={{ label: 'Send', icon: <Send aria-hidden size={13} /> }}
        send={async (words, idempotencyKey) => {
          await client.messages.send({ to: address, text: commentText(place, words) }, { idempotencyKey })
          onClose()
        }}
      />
    </Dialog>
  )
}
