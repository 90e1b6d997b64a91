import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/ui/button'
import { ErrorLine } from '../../components/ui/error-card'
import { TextArea } from '../../components/ui/field'
import { Tick } from '../../components/ui/tick'
import { client } from '../../lib/api'
import type { InboxRequest } from './inbox-words'

interface ReplyFormProps {
  request: InboxRequest
  onDone(message: InboxRequest): void
}

/** Replies to the sender of a request. The list of replies shows whether it arrived. */
export function ReplyForm({ request, onDone }: ReplyFormProps) {
  const [text, setText] = useState('')
  const [close, setClose] = useState(false)
  const key = useRef<{ words: string; key: string } | null>(null)
  const reply = useMutation({
    mutationFn: () => {
      const input = { text, ...(close && { close }) }
      const words = JSON.stringify(input)
      if (key.current?.words !== words) key.current = { words, key: crypto.randomUUID() }
      return client.inbox.reply(request.id, input, { idempotencyKey: key.current.key })
    },
    onSuccess: ({ message }) => {
      key.current = null
      setText('')
      onDone(message)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') reply.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2.5">
      <TextArea label="Your reply" rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      <Tick label="Also close the request" is={close} onIs={setClose} />
      <ErrorLine error={reply.error} />
      <div>
        <Button
          act="inbox.reply"
          type="submit"
          look="main"
          icon={<Send aria-hidden size={14} />}
          isBusy={reply.isPending}
          disabled={text.trim() === ''}
        >
          Send
        </Button>
      </div>
    </form>
  )
}
