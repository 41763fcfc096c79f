// What the processes of one start ask each other (decision 0064). A line joins the first process and one of the others, over the channel that
// Node opens between them.

/** Answers what is asked about a subject. What it throws is the asker's error. */
export type Answerer = (body: never) => unknown;

type Question = [id: number, subject: string, body: unknown];
type Reply = [id: number, value: unknown, error?: string];
interface Parcel {
  payments: { questions: Question[]; replies: Reply[] };
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Whoever asks does without an answer that takes longer: the other process hangs. */
const patienceMs = 2_000;

const isParcel = (message: unknown): message is Parcel =>
  typeof message === 'object' && message !== null && (message as Partial<Parcel>).payments !== undefined;

export class Line {
  readonly #send: (parcel: Parcel) => void;
  readonly #answerers: Map<string, Answerer>;
  readonly #waiting = new Map<number, Waiting>();
  #parcel: Parcel['payments'] | undefined;
  #lastId = 0;
  #isClosed = false;

  /** `send` hands a message to the other process. What comes from there is given to `hear`. */
  constructor(send: (message: object) => void, answerers: Readonly<Record<string, Answerer>> = {}) {
    this.#send = send;
    this.#answerers = new Map(Object.entries(answerers));
  }

  /** From now on questions about the subject are answered too. */
  answer(subject: string, answerer: Answerer): void {
    this.#answerers.set(subject, answerer);
  }

  /** Asks the other process. Rejects when it fails, has ended, or says nothing for `withinMs`. */
  ask<T>(subject: string, body?: unknown, withinMs = patienceMs): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('the other process has ended'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id)?.reject(new Error('the other process gives no answer')), withinMs);
      timer.unref();
      this.#waiting.set(id, { resolve, reject, timer });
      this.#open().questions.push([id, subject, body]);
    });
  }

  /** Says something that needs no answer. What was said or asked before is heard before. */
  tell(subject: string, body?: unknown): void {
    if (!this.#isClosed) this.#open().questions.push([0, subject, body]);
  }

  /** Takes a message of the other process. */
  hear(message: unknown): void {
    if (!isParcel(message)) return;
    for (const [id, value, error] of message.payments.replies) {
      const waiting = this.#settle(id);
      if (error === undefined) waiting?.resolve(value as never);
      else waiting?.reject(new Error(error));
    }
    for (const question of message.payments.questions) void this.#reply(question);
  }

  /** The other process has ended: nothing is answered any more. */
  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(new Error('the other process has ended'));
  }

  async #reply([id, subject, body]: Question): Promise<void> {
    const reply: Reply = [id, null];
    try {
      // A process that begins is asked before it knows what to say. That is no answer of null.
      const answerer = this.#answerers.get(subject);
      if (answerer === undefined) throw new Error(`nobody answers ${subject} yet`);
      reply[1] = await answerer(body as never);
    } catch (error) {
      reply[2] = error instanceof Error ? error.message : String(error);
    }
    if (id > 0 && !this.#isClosed) this.#open().replies.push(reply);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }

  /** What is said in one turn of the event loop goes together: a message of its own for each would cost more than what it says. */
  #open(): Parcel['payments'] {
    if (this.#parcel === undefined) {
      const parcel: Parcel['payments'] = { questions: [], replies: [] };
      this.#parcel = parcel;
      setImmediate(() => {
        this.#parcel = undefined;
        if (!this.#isClosed) this.#send({ payments: parcel });
      });
    }
    return this.#parcel;
  }
}
