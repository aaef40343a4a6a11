/* A program that loads no library, whatever the environment says. */

int main(void) { return 3; }
