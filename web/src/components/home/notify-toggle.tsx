import { Bell, BellOff } from 'lucide-react'
import { useState } from 'react'
import { isNotifying, setNotifying } from '../../lib/notify'
import { Button } from '../ui/button'

/** Whether the system tells of what needs the person while they look elsewhere. Off until they say so. */
export function NotifyToggle() {
  const [isOn, setOn] = useState(isNotifying)
  const [isRefused, setRefused] = useState(false)
  if (!('Notification' in globalThis)) return null
  async function change() {
    const is = await setNotifying(!isOn)
    setRefused(!isOn && !is)
    setOn(is)
  }
  const Icon = isOn ? Bell : BellOff
  return (
    <Button
      look="quiet"
      aria-pressed={isOn}
      title={
        isRefused ? 'The browser does not allow it: see its settings for this page' : 'Notifications of the system'
      }
      icon={<Icon aria-hidden size={13} />}
      onClick={() => void change()}
    >
      {isRefused ? 'Not allowed by the browser' : isOn ? 'Notifying' : 'Notify me'}
    </Button>
  )
}
