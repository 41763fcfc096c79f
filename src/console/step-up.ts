// What the server asks a person to confirm by signing in once more. The request that was refused waits here for the answer of the dialog.

/** Where a request waits until the person has signed in once more. */
class StepUpDesk {
  #asked: Promise<boolean> | undefined;
  #answer: ((isDone: boolean) => void) | undefined;
  #listener: (() => void) | undefined;
  /** By which the person may sign in: password, passkey, oidc. */
  methods: readonly string[] = [];

  get isAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** True once the person has signed in again; false where he did not want to. Several requests wait for the same. */
  ask(methods: readonly string[]): Promise<boolean> {
    this.methods = methods;
    this.#asked ??= new Promise<boolean>((answer) => {
      this.#answer = answer;
    });
    this.#listener?.();
    return this.#asked;
  }

  answer(isDone: boolean): void {
    this.#answer?.(isDone);
    this.#asked = undefined;
    this.#answer = undefined;
    this.#listener?.();
  }

  /** Calls the dialog at each change, until the function that it returns is called. */
  listen(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }
}

export const stepUpDesk = new StepUpDesk();
