! The launcher: one step of heat conduction on a periodic grid whose columns are shared out over the
! ranks. It knows nothing of tutti.
module heat
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none

  integer, parameter :: BLOCKING = 0, NONBLOCKING = 1, OVERLAPPED = 2
  integer, parameter :: dp = c_double

  ! How a step is done.
  type, bind(C) :: step_config
    integer(c_int) :: exchange ! of the edges: one of the above
    integer(c_int) :: tile     ! rows that are worked on at a time; 0: all
  end type

  ! One rank's part: columns 1 to columns, with the neighbours' edges around.
  type :: part
    integer :: comm, rank, ranks, rows, columns
    real(dp), allocatable :: now(:, :), next(:, :)
  end type

contains

  ! next = the mean of the four neighbours of each point. Collective. Returns an MPI error.
  integer function heat_step(mine, config) result(error)
    type(part), intent(inout) :: mine
    type(step_config), intent(in) :: config
    integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), left, right, n

    n = mine%columns
    left = modulo(mine%rank - 1, mine%ranks)
    right = modulo(mine%rank + 1, mine%ranks)
    if (config%exchange == BLOCKING) then
      call MPI_Sendrecv(mine%now(:, n), mine%rows, MPI_DOUBLE_PRECISION, right, 0, &
        mine%now(:, 0), mine%rows, MPI_DOUBLE_PRECISION, left, 0, mine%comm, statuses(:, 1), error)
      call MPI_Sendrecv(mine%now(:, 1), mine%rows, MPI_DOUBLE_PRECISION, left, 1, &
        mine%now(:, n + 1), mine%rows, MPI_DOUBLE_PRECISION, right, 1, mine%comm, &
        statuses(:, 1), error)
    else
      call MPI_Irecv(mine%now(:, 0), mine%rows, MPI_DOUBLE_PRECISION, left, 0, mine%comm, &
        requests(1), error)
      call MPI_Irecv(mine%now(:, n + 1), mine%rows, MPI_DOUBLE_PRECISION, right, 1, mine%comm, &
        requests(2), error)
      call MPI_Isend(mine%now(:, n), mine%rows, MPI_DOUBLE_PRECISION, right, 0, mine%comm, &
        requests(3), error)
      call MPI_Isend(mine%now(:, 1), mine%rows, MPI_DOUBLE_PRECISION, left, 1, mine%comm, &
        requests(4), error)
      if (config%exchange == OVERLAPPED) call relax(mine, 2, n - 1, config%tile)
      call MPI_Waitall(4, requests, statuses, error)
    end if
    if (config%exchange /= OVERLAPPED) then
      call relax(mine, 1, n, config%tile)
    else
      call relax(mine, 1, 1, config%tile)
      if (n > 1) call relax(mine, n, n, config%tile)
    end if
  end function

  ! The columns first to last, tile by tile.
  subroutine relax(mine, first, last, tile)
    type(part), intent(inout) :: mine
    integer, intent(in) :: first, last
    integer(c_int), intent(in) :: tile
    integer :: low, height, column, row, above, below

    height = merge(mine%rows, int(tile), tile == 0)
    do low = 1, mine%rows, height
      do column = first, last
        do row = low, min(low + height - 1, mine%rows)
          above = merge(mine%rows, row - 1, row == 1)
          below = merge(1, row + 1, row == mine%rows)
          mine%next(row, column) = (mine%now(above, column) + mine%now(below, column) + &
            mine%now(row, column - 1) + mine%now(row, column + 1)) / 4
        end do
      end do
    end do
  end subroutine
end module
